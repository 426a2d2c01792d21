# ckjit.fish - completion for fish; installed into share/fish/vendor_completions.d
complete -c ckjit -f
complete -c ckjit -n __fish_use_subcommand -l help -d 'the commands'
complete -c ckjit -n __fish_use_subcommand -l version
complete -c ckjit -n __fish_use_subcommand -a run -d 'run a build command; the kernels that it builds are lazy'
complete -c ckjit -n __fish_use_subcommand -a home -d 'make a fake ROCm or CUDA home and print the variables that point a build at it'
complete -c ckjit -n __fish_use_subcommand -a full -d 'build aiter\'s libmha_fwd.so and libmha_bwd.so from a checkout'
complete -c ckjit -n __fish_use_subcommand -a quick -d 'relink the libraries of a full build with a new runtime'
complete -c ckjit -n __fish_use_subcommand -a relink -d 'relink the libraries of a build with other kernels compiled ahead of time'
complete -c ckjit -n __fish_use_subcommand -a explain -d 'explain why each source of a build is, or is not, compiled lazily'
complete -c ckjit -n __fish_use_subcommand -a export-compile-commands -d 'write compile_commands.json of what a build has compiled'
complete -c ckjit -n __fish_use_subcommand -a list -d 'list kernels, and which of them are compiled'
complete -c ckjit -n __fish_use_subcommand -a build -d 'compile kernels into the cache'
complete -c ckjit -n __fish_use_subcommand -a warm -d 'recompile previously used kernels in the background'
complete -c ckjit -n __fish_use_subcommand -a pack -d 'write compiled kernels to a file for other machines'
complete -c ckjit -n __fish_use_subcommand -a unpack -d 'add such a file to the cache'
complete -c ckjit -n __fish_use_subcommand -a export -d 'compile kernels into files that need no ckjit'
complete -c ckjit -n __fish_use_subcommand -a matrix -d 'print the combinations of a JSON matrix, or generate sources from them'
complete -c ckjit -n __fish_use_subcommand -a times -d 'print how long each compile took'
complete -c ckjit -n __fish_use_subcommand -a cache -d 'print where the cache is and what it holds'
complete -c ckjit -n __fish_use_subcommand -a verify -d 'check the integrity of every cache file'
complete -c ckjit -n __fish_use_subcommand -a clean -d 'remove kernels from the cache'
complete -c ckjit -n __fish_use_subcommand -a status -d 'print what is being compiled now'
complete -c ckjit -n __fish_use_subcommand -a stats -d 'print the cache hit rate, time spent waiting and time saved'
complete -c ckjit -n __fish_use_subcommand -a trace -d 'trace view: make a web page that sums up the trace of a job or a build'
complete -c ckjit -n __fish_use_subcommand -a doctor -d 'check compilers, GPUs and cache, and say what to do'
complete -c ckjit -n __fish_use_subcommand -a help -d 'the options of a command'
complete -c ckjit -n '__fish_seen_subcommand_from help' -a 'run home full quick relink explain export-compile-commands list build warm pack unpack export matrix times cache verify clean status stats trace doctor topics environment'
function __ckjit_topics
    set -l words (commandline -opc)
    command $words[1] help topics 2>/dev/null
end
complete -c ckjit -n '__fish_seen_subcommand_from help' -a '(__ckjit_topics)' -d 'what to do about a message'

# What follows a command is what follows it behind the name of its program.
function __ckjit_rest
    set -l words (commandline -opc)
    set -l behind
    # `ckjit build full` is the long name without its prefix
    if test "$words[2]" = build; and contains -- "$words[3]" run home full quick relink explain export-compile-commands
        set words $words[1] $words[3..]
    end
    switch $words[2]
        case run home full quick relink explain export-compile-commands
            set behind ckjit-build $words[2..]
        case prebuild
            set behind ckjit-prebuild $words[3..]
        case '*'
            set behind ckjit-prebuild $words[2..]
    end
    complete -C (string join ' ' -- (string escape -- $behind) (commandline -ct))
end
complete -c ckjit -n 'not __fish_use_subcommand; and not __fish_seen_subcommand_from help' -a '(__ckjit_rest)'

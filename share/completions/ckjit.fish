# ckjit.fish - completion for fish; installed into share/fish/vendor_completions.d
complete -c ckjit -f
complete -c ckjit -n __fish_use_subcommand -l help -d 'the commands'
complete -c ckjit -n __fish_use_subcommand -l version
complete -c ckjit -n __fish_use_subcommand -a build -d 'a command of ckjit-build'
complete -c ckjit -n __fish_use_subcommand -a home -d 'make a fake ROCm or CUDA home'
complete -c ckjit -n __fish_use_subcommand -a explain -d 'say for each unit of a build why it is lazy or is not'
complete -c ckjit -n __fish_use_subcommand -a export-compile-commands -d 'write compile_commands.json of a build'
complete -c ckjit -n __fish_use_subcommand -a prebuild -d 'a command of ckjit-prebuild'
complete -c ckjit -n __fish_use_subcommand -a warm -d 'compile in the background what calls waited for in the past'
complete -c ckjit -n __fish_use_subcommand -a cache -d 'print what is in the cache, and what would leave it next'
complete -c ckjit -n __fish_use_subcommand -a verify -d 'look whether every file of the cache is whole'
complete -c ckjit -n __fish_use_subcommand -a stats -d 'print what became of first calls, and what that saved'
complete -c ckjit -n __fish_use_subcommand -a doctor -d 'say what is wrong with this machine'
complete -c ckjit -n __fish_use_subcommand -a trace -d 'make a page that shows a trace'
complete -c ckjit -n __fish_use_subcommand -a status -d 'print what is being compiled at this moment'
complete -c ckjit -n __fish_use_subcommand -a help -d 'the options of a command'
complete -c ckjit -n '__fish_seen_subcommand_from help' -a 'build home explain export-compile-commands prebuild warm cache verify stats doctor trace status topics environment'
function __ckjit_topics
    set -l words (commandline -opc)
    command $words[1] help topics 2>/dev/null
end
complete -c ckjit -n '__fish_seen_subcommand_from help' -a '(__ckjit_topics)' -d 'what to do about a message'

# What follows a command is what follows it behind the name of its program.
function __ckjit_rest
    set -l words (commandline -opc)
    set -l behind
    switch $words[2]
        case build
            set behind ckjit-build $words[3..]
        case home explain export-compile-commands
            set behind ckjit-build $words[2..]
        case prebuild
            set behind ckjit-prebuild $words[3..]
        case '*'
            set behind ckjit-prebuild $words[2..]
    end
    complete -C (string join ' ' -- (string escape -- $behind) (commandline -ct))
end
complete -c ckjit -n 'not __fish_use_subcommand; and not __fish_seen_subcommand_from help' -a '(__ckjit_rest)'

# ckjit.fish - completion for fish; installed as share/fish/vendor_completions.d/NAME.fish for each program
#
# The program says what its words may become (core/base/options.h).
function __ckjit_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in (command $words[1] --complete $words[2..] "$word" 2>/dev/null </dev/null)
        switch $line
            case ':directories*'
                __fish_complete_directories $word
            case ':*'
                __fish_complete_path $word
            case '*'
                echo $line
        end
    end
end
for program in ckjit ckjit-build ckjit-prebuild
    complete -c $program -f -a '(__ckjit_complete)'
end

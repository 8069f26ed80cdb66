# Completion for fish: deskbell completion fish > ~/.config/fish/completions/deskbell.fish
function __deskbell_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l current (commandline -ct)
    set -l found ($program __complete -- $words "$current" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c deskbell -f -a '(__deskbell_complete)'

"""completion             print a script that lets bash and zsh complete command lines."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
from importlib import import_module

from ncbench.cli.commands import subcommands

# The words are part of the script, so that completing starts no Python. Where no word fits, the
# shell completes names of files. Bash splits KEY=VALUE at the equals sign.
_SCRIPT = """\
[ -z "$ZSH_VERSION" ] || { autoload -U +X bashcompinit && bashcompinit; }
_ncbench() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=
  if [ "$word" = "=" ]; then word=
  elif [ "$before" = "=" ]; then before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  case $before in
%(values)s
  *) case $COMP_CWORD:${COMP_WORDS[1]} in
    1:*) words="%(subcommands)s %(keys)s" ;;
%(options)s
    *) words="%(keys)s" ;;
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac
}
complete -o default -F _ncbench ncbench
"""


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    argparse.ArgumentParser(
        prog="ncbench completion",
        description="Print a script for bash and zsh that completes subcommands, options, keys, "
        "plug-ins and files. For example: ncbench completion > "
        "~/.local/share/bash-completion/completions/ncbench",
    ).parse_args(argv)

    from ncbench.config import SETTINGS
    from ncbench.plugin import KINDS, get_registry

    options = {name: _options(module) for name, module in subcommands().items()}
    names: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for plugin in get_registry().plugins():
        names[plugin.kind].append(plugin.name)
    keys = [f"{key}=" for key in (*names, *SETTINGS)]
    print(
        _SCRIPT
        % {
            "subcommands": " ".join(options),
            "keys": " ".join(["-m", "--help", "--version", *keys]),
            "options": "\n".join(
                f'    *:{k}) words="{" ".join(v)}" ;;' for k, v in options.items()
            ),
            "values": "\n".join(
                f'  {kind}|--{kind.replace("_", "-")}) words="{" ".join(found)}" ;;'
                for kind, found in names.items()
            ),
        },
        end="",
    )
    return 0


def _options(module: str) -> list[str]:
    """Return the options of a subcommand, which only its help lists."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
        import_module(module).main(["--help"])
    return re.findall(r"^ +(?:-\w, )?(--[\w-]+)", text.getvalue(), flags=re.MULTILINE)

"""Commands about plug-ins: list them, check them, start one, complete their names.

Every public function is a command. Slow imports are in functions: the arguments are parsed first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal


def plugins(*, json: bool = False) -> None:
    """List plug-ins, their distributions, and what could not be loaded.

    Parameters
    ----------
    json
        print JSON
    """
    from ncbench.cli.listing import as_json, print_listing

    print(as_json()) if json else print_listing()


def check(name: str, settings: Sequence[str] = ()) -> int:
    """Check a plug-in, or all plug-ins of a distribution.

    Each must keep the contract of its kind. Exit code 0: all checks passed; 1: a check failed; 2:
    there was nothing to check.

    Parameters
    ----------
    name : NAME
        the name of a plug-in (ncfw), with its kind if the name is ambiguous (algo=ncfw), or of an
        installed distribution
    settings : KEY=VALUE
        a parameter (algo.max_iter=100, noise.path=T.csv), or data_dir=FOLDER
    """
    from ncbench.testing.contract import check_plugins

    return check_plugins(name, settings)


def new_plugin(
    name: str,
    *,
    kind: Literal["algorithm", "measure", "noise", "cpe", "t_estimator", "dataset"] = "algorithm",
) -> None:
    """Create a package with a working plug-in to start from.

    It is ready to install, check and change, in a new folder NAME.

    Parameters
    ----------
    name : NAME
        lowercase letters, digits and dashes: my-method
    kind
        the kind of the plug-in
    """
    from ncbench.plugin import write_package

    folder, steps = write_package(name, kind)
    print(f"{folder}: a plug-in to start from. Next:")
    for step in steps:
        print(f"  {step}")


def bayes(dataset: str = "synthetic", *, size: int = 200_000) -> None:
    """Print the lowest loss any classifier can reach (dataset=synthetic).

    It is the Bayes-optimal value of each measure on a data set whose distribution is known, with a
    bound on its error.

    Parameters
    ----------
    dataset : DATASET
        a data set whose distribution is known
    size
        population size, at least 1000 points
    """
    from ncbench.report.comparisons import optima_section
    from ncbench.results.series import optima
    from ncbench.show import print_sections

    print_sections([optima_section(optima(dataset, size))])


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


def completion() -> None:
    """Print a script that lets bash and zsh complete command lines.

    It completes subcommands, options, keys, plug-ins and files. For example: ncbench completion >
    ~/.local/share/bash-completion/completions/ncbench
    """
    from ncbench.cli.command import commands, options
    from ncbench.config import SETTINGS
    from ncbench.plugin import KINDS, get_registry

    known = commands()
    names = {kind: get_registry().names(kind) for kind in KINDS}
    keys = ["-m", "--help", "--version", *(f"{key}=" for key in (*names, *SETTINGS))]
    offered = {f"*:{name}": options(command) for name, command in known.items()}
    values = {f"{kind}|--{kind.replace('_', '-')}": found for kind, found in names.items()}
    print(
        _SCRIPT
        % {
            "subcommands": " ".join(known),
            "keys": " ".join(keys),
            "options": _cases(offered, "    "),
            "values": _cases(values, "  "),
        },
        end="",
    )


def _cases(words: dict[str, list[str]], indent: str) -> str:
    return "\n".join(f'{indent}{case}) words="{" ".join(w)}" ;;' for case, w in words.items())

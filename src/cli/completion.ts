import { Argument, type Command } from 'commander'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'

/** A position on the command line: the commands before it, and the words that may follow. */
interface Place {
  path: string
  words: string[]
  /** The options with a fixed list of values, each with this list. */
  values: { option: string; choices: readonly string[] }[]
}

export function completionCommand(run: Runner): Command {
  return defineCommand('completion', 'Print a script that completes commands in a shell', [
    'completion bash >> ~/.bashrc',
    'completion zsh >> ~/.zshrc',
    'completion fish > ~/.config/fish/completions/callsheet.fish',
  ])
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: 'bash' | 'zsh' | 'fish', options: CommonOptions, command: Command) =>
      run(options, async ({ output }) => {
        const program = command.parent ?? command
        const places = placesOf(program, '', await namesOf())
        const script = SCRIPTS[shell](places)
        for (const line of script.split('\n')) output.line(line, 'whole')
        output.result({ shell, script })
        return 0
      }),
    )
}

/** Returns the names that can fill an argument. Omits accounts, because their configuration may change. */
async function namesOf(): Promise<Readonly<Record<string, readonly string[]>>> {
  const { jobs, reports, streams } = await import('../account/catalog.ts')
  const [job, report, stream] = [jobs, reports, streams].map((all) => all.map(({ name }) => name))
  return {
    sync: job ?? [],
    plan: job ?? [],
    report: report ?? [],
    preview: stream ?? [],
    export: stream ?? [],
  }
}

function placesOf(
  command: Command,
  path: string,
  names: Readonly<Record<string, readonly string[]>>,
): Place[] {
  const inner = command.commands.filter((one) => one.name() !== 'config-schema')
  const flags = command.options.flatMap(({ long, short }) => long ?? short ?? [])
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  const place: Place = {
    path,
    words: [...inner.map((one) => one.name()), ...choices, ...(names[path] ?? []), ...flags],
    values: command.options.flatMap(({ long, argChoices }) =>
      long === undefined || argChoices === undefined ? [] : [{ option: long, choices: argChoices }],
    ),
  }
  return [place, ...inner.flatMap((one) => placesOf(one, `${path} ${one.name()}`.trim(), names))]
}

/**
 * Makes the script for bash. It completes Callsheet's names, whose letters no shell interprets; other values
 * complete as file names.
 */
function bashScript(places: readonly Place[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`)
  const values = places.flatMap((place) =>
    place.values.map(
      ({ option, choices }) => `    '${place.path} ${option}') words='${choices.join(' ')}' ;;`,
    ),
  )
  return `_callsheet() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${at:+$at }\${COMP_WORDS[i]}" in
    ${paths.join('|')}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at" in
${places.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`).join('\n')}
  esac
  case "$at $prev" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _callsheet callsheet`
}

function fishScript(places: readonly Place[]): string {
  return places
    .map(({ path, words }) => {
      const seen = path.split(' ').map((name) => `__fish_seen_subcommand_from ${name}`)
      const here = path === '' ? '__fish_use_subcommand' : seen.join('; and ')
      return `complete -c callsheet -n '${here}' -a '${words.join(' ')}'`
    })
    .join('\n')
}

const SCRIPTS = {
  bash: bashScript,
  zsh: (places: readonly Place[]) =>
    `autoload -U +X compinit bashcompinit && compinit && bashcompinit\n${bashScript(places)}`,
  fish: fishScript,
}

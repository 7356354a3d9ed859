import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { buildProgram } from '../../../src/cli/program.ts'
import { ACCOUNT_COMMANDS, withAccount } from '../../../src/core/values/account-commands.ts'

describe('commands in a text about one account', () => {
  it.each([
    ['run callsheet sync --approve 7', 'run callsheet sync --account main --approve 7'],
    ['Run callsheet logout.', 'Run callsheet logout --account main.'],
    ['npm run callsheet -- runs 4', 'npm run callsheet -- runs 4 --account main'],
    ['callsheet archive hold list, then', 'callsheet archive hold list --account main, then'],
    [
      'Run callsheet doctor, then callsheet login --account other',
      'Run callsheet doctor --account main, then callsheet login --account other',
    ],
  ])('get the option --account: %s', (text, named) => {
    expect(withAccount(text, 'main')).toBe(named)
    expect(withAccount(named, 'main')).toBe(named)
    expect(withAccount(text, undefined)).toBe(text)
  })

  it.each([
    'restart callsheet serve',
    'callsheet erase --columns --dry-run --account main to list them',
    'callsheet statusbar',
    'the schema callsheet of the database',
  ])(
    'stay unchanged if they have no such option, or have it already, or are not commands: %s',
    (text) => {
      expect(withAccount(text, 'main')).toBe(text)
    },
  )

  it('get the option if and only if the program declares it for them', async () => {
    const program = await buildProgram(
      async () => {},
      () => true,
    )
    expect(commandsIn(program.commands, '').toSorted()).toEqual(ACCOUNT_COMMANDS)
  })
})

function commandsIn(commands: readonly Command[], before: string): string[] {
  return commands.flatMap((command) => {
    const name = `${before}${command.name()}`
    const has = command.options.some(({ long }) => long === '--account')
    return [...(has ? [name] : []), ...commandsIn(command.commands, `${name} `)]
  })
}

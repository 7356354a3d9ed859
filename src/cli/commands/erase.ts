import type { Command } from 'commander'
import type { EraseOptions } from '../actions/erase-persons.ts'
import { collect, defineCommand, type Runner } from '../frame/command.ts'

export function eraseCommand(run: Runner): Command {
  return defineCommand('erase', 'Take a person out of everything that is kept, for good', [
    'erase --due --dry-run',
    'erase --due --yes',
    'erase --user 8fKq2LmTQcuX --dry-run',
    'erase --from persons.txt --yes --account main',
    'erase --list',
  ])
    .option('-a, --account <name>', 'of which account; needed where there are several')
    .option('--due', 'everyone who took the app away, and what was cut off before')
    .option('--user <id>', 'this user, by ID; may be given several times', collect)
    .option('--from <file>', 'an ID or an address a line; - reads them from the input')
    .option(
      '--others <file>',
      "longer words, one a line, that contain the person's ID or address and are another's; - for input",
    )
    .option('--by-name', 'also where nothing but their name stands: namesakes go with them')
    .option('--dry-run', 'say what would go and what stays without them; change nothing')
    .option('--yes', 'do it: what is erased does not come back')
    .option(
      '--readmit',
      'let those named be kept again, and close what is open; what was erased stays erased',
    )
    .option('--confirm <number>', 'with --due: this request is ours, whoever made it', collect)
    .option('--list', 'show who is to be erased until when, and what was done')
    .addHelpText('after', NOTES)
    .action((options: EraseOptions) =>
      run(options, async (context) => {
        const { erasePersons } = await import('../actions/erase-persons.ts')
        return await erasePersons(context, options)
      }),
    )
}

const NOTES = `
Out of reach: backups and the database's log, copies that were given away, what files show, and text
that is encoded in base64, compressed or encrypted. docs/erasure.md tells of it.
Addresses are personal data, so they are read from a file or the input, never from the command line.
Exit codes: 0 erased, 1 failed or something is left, 2 wrong usage, 4 a hold or a lock keeps a part,
5 another process works on the account.`

import type { Command } from 'commander'
import type { CallCommandOptions } from '../actions/call-operation.ts'
import { collect, defineCommand, type Runner } from '../frame/command.ts'

export function callCommand(run: Runner): Command {
  return defineCommand('call', 'Call one operation of the service', [
    'call users.get --param userId=me',
    'call phone_numbers.list --param page_size=50 --json',
    'call phone_numbers.allocate --body @allocation.json --yes',
    'call phone_numbers.allocate --help',
  ])
    .helpOption(false)
    .option('-h, --help', 'what the operation takes')
    .argument('[operation]', 'its id, as callsheet operations lists them')
    .option('-p, --param <name=value>', 'of the path or the query; repeat it for a list', collect)
    .option('-b, --body <json>', 'the body as JSON; @file reads a file, - reads standard input')
    .option('-y, --yes', 'send what changes something; without it, it is only shown')
    .option('-a, --account <name>', 'of which account; needed where there are several')
    .addHelpText('after', UNSENT)
    .action((id: string | undefined, options: CallCommandOptions, command: Command) => {
      if (id === undefined) {
        command.outputHelp()
        return undefined
      }
      return run(options, async (context) => {
        const { callOperation } = await import('../actions/call-operation.ts')
        return await callOperation(context, id, options)
      })
    })
}

const UNSENT = `
What changes something and has no --yes is shown, not sent: the exit code is 2.`

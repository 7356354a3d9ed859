import type { Command } from 'commander'
import type { DoctorOptions } from '../doctor/examine.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function doctorCommand(run: Runner): Command {
  return defineCommand('doctor', 'Check everything a sync needs, and say what to do', [
    'doctor',
    'doctor --account main --json',
    'doctor --probe --write adopt.yaml',
  ])
    .option('-a, --account <name>', 'only this account')
    .option('--probe', 'test by reads what the documents of the service leave open')
    .option('--write <file>', 'with --probe: the settings to adopt, as YAML, into a new file')
    .addHelpText('after', HELP)
    .action((options: DoctorOptions) =>
      run(options, async (context) => {
        const { examine } = await import('../doctor/examine.ts')
        return await examine(context, options)
      }),
    )
}

const HELP = `
It reads one small page of each job, tries whether the archive's folder or bucket can be written and whether
the evidence key can be read, and leaves nothing behind but the token. With --probe it sends, in place of
these pages, up to some hundred and twenty reads for each account, within its quotas. It says of each
assumption whether it holds, what it means for a sync where it does not, and which settings to adopt.`

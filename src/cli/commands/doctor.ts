import type { Command } from 'commander'
import type { DoctorOptions } from '../doctor/examine.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function doctorCommand(run: Runner): Command {
  return defineCommand('doctor', 'Check everything a sync needs, and say what to do', [
    'doctor',
    'doctor --account main --json',
  ])
    .option('-a, --account <name>', 'only this account')
    .addHelpText('after', HELP)
    .action((options: DoctorOptions) =>
      run(options, async (context) => {
        const { examine } = await import('../doctor/examine.ts')
        return await examine(context, options)
      }),
    )
}

const HELP = `
It reads one small page of each stream and compares its records with what the documents say: which cannot be
stored, which values cannot be read, which fields no document names. It tries whether the archive's folder or
bucket can be written and whether the evidence key can be read, and leaves nothing behind but the token.`

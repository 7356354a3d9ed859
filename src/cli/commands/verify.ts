import { type Command, InvalidArgumentError } from 'commander'
import type { VerifyCommandOptions } from '../doctor/print-verified.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function verifyCommand(run: Runner): Command {
  return defineCommand(
    'verify',
    'Check that nothing in the archive was altered, and name what was',
    [
      'verify',
      'verify --head 9f86d0...',
      'verify --bundle main-2026-06.zip --key 3b1fe2...',
      'verify --bundle main-2026-06.zip --key 3b1fe2... --witness w.example+1f2e3d4c+BF... --witnesses 1',
      'verify --page verify.html',
    ],
  )
    .option(
      '-a, --account <name>',
      'only this account; of a bundle, the account that it must be of',
    )
    .option('--bundle <file>', 'a bundle, by itself: needs no database, network or configuration')
    .option('--page <file>', 'write the page that checks a bundle in any browser, and nothing else')
    .option('--equivocation <file>', 'a file that is to prove two logs of one key, by itself')
    .option('--key <fingerprint>', 'the fingerprint that the key must have', digest)
    .option('--head <hash>', 'the hash of a head that you noted, which must be there', digest)
    .option('--timestamp-roots <file...>', 'certificates (PEM) that time stamps must lead to')
    .option('--witness <key>', 'the verifier key of a witness; several times for several', together)
    .option('--witnesses <number>', 'how many of these must have cosigned (default: all)', number)
    .addHelpText(
      'after',
      '\nExit code 1: something is not as it was; 2: the bundle cannot be read; 4: no --key was named, so\n' +
        'that nobody knows whose the bundle is. Of --equivocation: 0: it proves two logs; 1: it does not.',
    )
    .action((options: VerifyCommandOptions) =>
      run(options, async (context) => {
        const { verify } = await import('../archive/verify.ts')
        return await verify(context, options)
      }),
    )
}

function together(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

function number(value: string): number {
  if (!/^[1-9]\d{0,2}$/.test(value)) throw new InvalidArgumentError('Expected a number from 1 on.')
  return Number(value)
}

function digest(value: string): string {
  const text = value.toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(text)) throw new InvalidArgumentError('Expected 64 hex digits.')
  return text
}

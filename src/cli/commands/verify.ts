import { type Command, InvalidArgumentError } from 'commander'
import type { VerifyOptions } from '../doctor/print-verified.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function verifyCommand(run: Runner): Command {
  return defineCommand(
    'verify',
    'Check that nothing in the archive was altered, and name what was',
    [
      'verify',
      'verify --head 9f86d0...',
      'verify --bundle main-2026-06.zip --key 3b1fe2...',
      'verify --page verify.html',
    ],
  )
    .option(
      '-a, --account <name>',
      'only this account; of a bundle, the account that it must be of',
    )
    .option('--bundle <file>', 'a bundle, by itself: needs no database, network or configuration')
    .option('--page <file>', 'write the page that checks a bundle in any browser, and nothing else')
    .option('--key <fingerprint>', 'the fingerprint that the key must have', digest)
    .option('--head <hash>', 'the hash of a head that you noted, which must be there', digest)
    .option('--timestamp-roots <file...>', 'certificates (PEM) that time stamps must lead to')
    .addHelpText(
      'after',
      '\nExit code 1: something is not as it was; 2: the bundle cannot be read; 4: no --key was named, so\n' +
        'that nobody knows whose the bundle is.',
    )
    .action((options: VerifyOptions) =>
      run(options, async (context) => {
        const { verify } = await import('../archive/verify.ts')
        return await verify(context, options)
      }),
    )
}

function digest(value: string): string {
  const text = value.toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(text)) throw new InvalidArgumentError('Expected 64 hex digits.')
  return text
}

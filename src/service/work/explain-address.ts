import { ConfigurationError } from '../../core/errors.ts'

/** Says by the names of the settings why an address cannot be listened on. */
export function explainAddress(
  error: unknown,
  { setting, host, port }: { setting: 'notifications' | 'serve'; host: string; port: number },
): unknown {
  const { code } = error as NodeJS.ErrnoException
  const came = REASONS[code ?? '']
  if (came === undefined) return error
  return new ConfigurationError('address_unavailable', {
    tried: `Listening on ${host}, port ${port}`,
    came,
    todo: `set ${setting}.host and ${setting}.port to an address of this machine that is free`,
  })
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has it',
  EACCES: 'that is not allowed',
  EADDRNOTAVAIL: 'it is no address of this machine',
  ENOTFOUND: 'it is no address of this machine',
}

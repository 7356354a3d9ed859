import type { Readings } from '../readings/readings.ts'

/** An error response, thrown where the error is found and sent by the server. */
export class SandboxRefusal extends Error {
  readonly status: number
  /** The JSON body; a text is sent as a page. */
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${String(status)}`)
    this.status = status
    this.body = body
    this.headers = headers
  }
}

export function refuse(status: number, code: number | string, message: string): SandboxRefusal {
  return new SandboxRefusal(status, { code, message })
}

/** Refuses a missing file, as documented or as a proxy would. */
export function noFile(
  reading: Readings['missingFile'],
  code: number,
  message: string,
): SandboxRefusal {
  if (reading === 'json') return refuse(404, code, message)
  return new SandboxRefusal(404, reading === 'plain' ? '' : '<html><body>Not Found</body></html>')
}

/** Refuses a parameter; a validation error names its field. */
export function badParameter(field: string, message: string, code: number = 300): SandboxRefusal {
  return new SandboxRefusal(400, {
    code,
    message: `Validation failed: ${field}: ${message}`,
    errors: [{ field, message }],
  })
}

/**
 * What an error answer says about itself. Every part may be missing: the body may be empty, HTML or almost-
 * JSON.
 */
export interface ErrorBody {
  /** Always a string: `1003_001` is not 1003. */
  code: string | undefined
  /** As received: for matching only. What is shown or logged is `describe`. */
  message: string
}

export function readErrorBody(body: Buffer): ErrorBody {
  const text = body.toString('utf8', 0, MAX_READ_BYTES).replace(/^\uFEFF/, '')
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) return errorFields(parsed)
  } catch {
    // Almost-JSON: a message with unescaped quotes. The code in front of it can still be read.
    const code = /"code"\s*:\s*"?([\w]+)"?/.exec(text)?.[1]
    const message = /"message"\s*:\s*"(.*)/s.exec(text)?.[1]
    if (text.trimStart().startsWith('{')) return { code, message: message ?? '' }
  }
  return { code: undefined, message: '' }
}

export function errorFields(body: object): ErrorBody {
  const { code, message } = body as { code?: unknown; message?: unknown }
  return {
    code: typeof code === 'number' || typeof code === 'string' ? String(code) : undefined,
    message: typeof message === 'string' ? message : message === undefined ? '' : '(a list)',
  }
}

/**
 * The service's words without what may be personal or forge a line of a log: addresses, numbers, long
 * identifiers.
 */
export function describe(message: string): string {
  return message
    .slice(0, MAX_SHOWN)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\S+@\S+/g, '<address>')
    .replace(/https?:\S+/g, '<link>')
    .replace(/(?<![\w+])(?=[\w/=-]*\d)(?=[\d-]*[A-Za-z])[\w+/=-]{12,}/g, '<id>')
    .replace(/\+?\d[\d ()-]{4,}\d/g, '<number>')
    .trim()
    .replace(/\.$/, '')
}

/** The scopes that a refusal names: `... does not contain scopes:[a, b]`. */
export function namedScopes(message: string): string[] {
  const list = /scopes?\s*:?\s*\[([^\]]*)\]/i.exec(message)?.[1] ?? ''
  return list.split(/[\s,]+/).filter((scope) => /^[\w:.-]+$/.test(scope))
}

const MAX_READ_BYTES = 65_536
const MAX_SHOWN = 300

import type { Operation } from '../core/operation.ts'

export interface Matched {
  operation: Operation
  path: Record<string, string>
}

/**
 * Finds the operation of a raw request path. Session IDs are read as behind a front door that decodes once
 * more than it should: an ID with `/` or `+` arrives whole only when it was encoded twice.
 */
export function router(
  operations: readonly Operation[],
): (method: string, rawPath: string) => Matched | undefined {
  const templates = operations.map((operation) => ({
    operation,
    parts: operation.path.slice(1).split('/'),
  }))
  // A literal part wins over a placeholder.
  templates.sort((a, b) => placeholders(a.operation.path) - placeholders(b.operation.path))
  return (method, rawPath) => {
    const session = /^\/(videosdk|whiteboards)\/sessions\//.test(rawPath)
    const parts = (session ? decode(rawPath) : rawPath).slice(1).split('/')
    for (const { operation, parts: wanted } of templates) {
      if (operation.method !== method || wanted.length !== parts.length) continue
      const path = bind(wanted, parts, session)
      if (path !== undefined) return { operation, path }
    }
    return undefined
  }
}

function bind(
  wanted: readonly string[],
  parts: readonly string[],
  session: boolean,
): Record<string, string> | undefined {
  const path: Record<string, string> = {}
  for (const [n, part] of wanted.entries()) {
    const given = parts[n] ?? ''
    if (part.startsWith('{')) {
      if (given === '') return undefined
      path[part.slice(1, -1)] = decode(session ? given.replaceAll('+', ' ') : given)
    } else if (part !== given) return undefined
  }
  return path
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function placeholders(path: string): number {
  return path.split('{').length
}

import type { Operation } from '../../src/core/define/operation.ts'
import type { Readings } from '../readings/readings.ts'
import { decode, idsMeant, readingOf } from './path-ids.ts'

export interface MatchedRoute {
  operation: Operation
  path: Record<string, string>
  /** Other meanings of the path, which are tried if the first one does not exist. */
  otherwise?: readonly Record<string, string>[]
}

/** Returns a function that finds the operation of a method and a raw path. */
export function router(
  operations: readonly Operation[],
  readings: Readings,
): (method: string, rawPath: string) => MatchedRoute | undefined {
  const templates = operations.map((operation) => ({
    operation,
    parts: operation.path.slice(1).split('/'),
  }))
  // A literal part takes precedence over a placeholder.
  templates.sort((a, b) => placeholders(a.operation.path) - placeholders(b.operation.path))
  return (method, rawPath) => {
    const parts = rawPath.slice(1).split('/')
    for (const { operation, parts: wanted } of templates) {
      if (operation.method !== method || wanted.length !== parts.length) continue
      const [path, ...otherwise] = meanings(operation.path, wanted, { parts, readings })
      if (path !== undefined) return { operation, path, otherwise }
    }
    return undefined
  }
}

function meanings(
  template: string,
  wanted: readonly string[],
  { parts, readings }: { parts: readonly string[]; readings: Readings },
): Record<string, string>[] {
  let paths: Record<string, string>[] = [{}]
  for (const [n, part] of wanted.entries()) {
    const given = parts[n] ?? ''
    if (!part.startsWith('{')) {
      if (part !== given) return []
      continue
    }
    if (given === '') return []
    const name = part.slice(1, -1)
    const reading = readingOf(template, name)
    const meant = reading === undefined ? [decode(given)] : idsMeant(readings, reading, given)
    paths = paths.flatMap((path) => meant.map((id) => ({ ...path, [name]: id })))
  }
  return paths
}

function placeholders(path: string): number {
  return path.split('{').length
}

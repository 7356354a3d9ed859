import type { Readings } from '../readings/readings.ts'

type IdReading = 'recordingIds' | 'whiteboardIds' | 'otherIds'

/** The IDs that a variant requires to be encoded twice; `either` accepts both. */
const TWICE: Readonly<Record<Exclude<Readings[IdReading], 'either'>, (id: string) => boolean>> = {
  once: () => false,
  'odd-slashes': (id) => id.startsWith('+') || id.startsWith('/') || id.includes('//'),
  slash: (id) => id.includes('/'),
  reserved: (id) => /[/+%]/.test(id),
  twice: () => true,
}

/**
 * Returns the IDs that a part of a path may mean, the most likely first. An ID in the wrong encoding becomes
 * another one: leading slashes are dropped, and `+`, `%` and `=` become spaces. Returns none if a slash
 * remains or nothing is left.
 */
export function idsMeant(readings: Readings, reading: IdReading, part: string): string[] {
  const once = decode(part)
  const twice = decode(once)
  const variant = readings[reading]
  if (variant === 'either') return [...new Set([once, twice])]
  const wantsTwice = TWICE[variant]
  const meant = [
    ...(wantsTwice(twice) && once === encodeURIComponent(twice) ? [twice] : []),
    ...(wantsTwice(once) ? [] : [once]),
  ]
  if (meant.length > 0) return meant
  const spoilt = once.replace(/^\/+/, '').replaceAll(/[+%=]/g, ' ')
  return spoilt.includes('/') || spoilt === '' ? [] : [spoilt]
}

/** Returns the reading for an ID in a path; undefined for the address of a file, which the service chose. */
export function readingOf(path: string, name: string): IdReading | undefined {
  if (name === 'path') return undefined
  if (name === 'sessionId') return 'recordingIds'
  return path.startsWith('/whiteboards/') ? 'whiteboardIds' : 'otherIds'
}

/** Decodes text; malformed text stays unchanged. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

import type { Readings } from '../readings/readings.ts'

type IdReading = 'recordingIds' | 'whiteboardIds' | 'otherIds'

/** Which IDs a variant wants encoded twice; `either` takes both. */
const TWICE: Readonly<Record<Exclude<Readings[IdReading], 'either'>, (id: string) => boolean>> = {
  once: () => false,
  'odd-slashes': (id) => id.startsWith('+') || id.startsWith('/') || id.includes('//'),
  slash: (id) => id.includes('/'),
  reserved: (id) => /[/+%]/.test(id),
  twice: () => true,
}

/**
 * Which IDs a part of a path may stand for, the likeliest first; none where it breaks the path. What is
 * encoded in the wrong way is another ID: behind a door that decodes once more, a plus is a space, and a
 * slash ends the part.
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

/** The address of a file comes from the service itself, and is no ID. */
export function readingOf(path: string, name: string): IdReading | undefined {
  if (name === 'path') return undefined
  if (name === 'sessionId') return 'recordingIds'
  return path.startsWith('/whiteboards/') ? 'whiteboardIds' : 'otherIds'
}

/** Malformed text stands for itself. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

import { sha256Hex } from '../../src/evidence/log/digest.ts'
import type { Members } from '../helpers/rewrite-zip.ts'
import { edit } from './sign-anew.ts'

const MB = 2 ** 20
/** Two rows of the file index, because the index never names a file twice in a row. */
const ROW = ['s', 't']
  .map((session) => ({ session, activity: 'a', state: 'missing', reason: '-'.repeat(64) }))
  .map((row) => `${JSON.stringify(row)}\n`)
  .join('')

/** Members that cost a verifier time, made by somebody with another key; their zip has at most 1 MB. */
export const HOSTILE: readonly (readonly [string, (all: Members) => void])[] = [
  ['a manifest of empty lines', (all) => all.set('manifest.ndjson', Buffer.alloc(16 * MB, '\n'))],
  [
    'a manifest whose lines are true, millions of times',
    (all) => {
      const [line = ''] = textOf(all, 'manifest.ndjson').split('\n')
      all.set('manifest.ndjson', times(`${line}\n`, 16 * MB))
    },
  ],
  [
    'an index of files that are not here',
    (all) => all.set('files.ndjson', wrongAtLast(times(ROW, 15 * MB))),
  ],
  [
    'the same, larger, and packed no better than a text',
    (all) => all.set('files.ndjson', wrongAtLast(sprinkled(ROW, 80 * MB))),
  ],
  [
    'records of one line end each',
    (all) => all.set('records/whiteboard_activities.ndjson', Buffer.alloc(120 * MB, '\n')),
  ],
  [
    'one record that is as large as may be',
    (all) => {
      const name = `records/${'a'.repeat(64)}.json`
      all.set(name, Buffer.alloc(120 * MB, 'x'))
      stateSize(all, name, 120 * MB)
    },
  ],
  ['JSON that is nested a million times', (all) => nested(all, MB - 1)],
  [
    'lines that are nested millions of times',
    (all) => all.set('manifest.ndjson', Buffer.from(`{"entry":${'['.repeat(15 * MB)},"salt":1}\n`)),
  ],
  [
    'sizes that no computer has',
    (all) => {
      for (const name of all.keys()) if (name !== 'bundle.json') stateSize(all, name, 2 ** 52)
      edit('bundle.json', (text) => text.replace(/"entries":\s*\d+/, '"entries": 1e999'))(all)
    },
  ],
  [
    'a checkpoint over more entries than there are numbers for',
    edit('checkpoint', (text) => text.replace(/^\d+$/m, '9007199254740991')),
  ],
  [
    'a checkpoint with a hundred thousand signatures',
    (all) => {
      const text = textOf(all, 'checkpoint')
      const own = text.slice(text.indexOf('\n\n') + 2)
      all.set('checkpoint', Buffer.from(text + own.repeat(100_000)))
    },
  ],
  [
    'a checkpoint of as many signatures as a small member holds',
    (all) => {
      const text = textOf(all, 'checkpoint')
      const own = text.slice(text.indexOf('\n\n') + 2)
      all.set('checkpoint', Buffer.from(text + own.repeat(MB / own.length - 5)))
    },
  ],
  [
    'proofs of many hashes',
    (all) => {
      const path = JSON.stringify(Array.from({ length: 64 }, () => `${'a'.repeat(42)}A=`))
      const [line = ''] = textOf(all, 'manifest.ndjson').split('\n')
      const long = `${line.slice(0, line.lastIndexOf('"path":'))}"path":${path}}\n`
      all.set('manifest.ndjson', times(long, 16 * MB))
    },
  ],
  [
    'an anchor of the largest size that there is',
    (all) => all.set(`anchors/${'9'.repeat(15)}.note`, Buffer.from('{}')),
  ],
  ['very many notes', (all) => many(all, 5_000, (n) => [`anchors/${n}.note`, '{}'])],
  [
    'very many notes and locks that are none',
    (all) => {
      many(all, 1_800, (n) => [`anchors/${n}.txt`, 'object: s3://a/b'])
      many(all, 1_800, (n) => [`anchors/${n}.note`, textOf(all, 'checkpoint')])
    },
  ],
  [
    'older states whose proofs are long, millions of times',
    (all) => {
      const proof = Array.from({ length: 64 }, () => `${'a'.repeat(42)}A=`)
      const checkpoint = `1:${'a'.repeat(42)}A=`
      all.set('older.ndjson', times(`${JSON.stringify({ checkpoint, proof })}\n`, 16 * MB))
    },
  ],
  ['large small members', (all) => many(all, 60, (n) => [`anchors/${n}.note`, '['.repeat(MB - 1)])],
  [
    'large small members of short lists',
    (all) => many(all, 60, (n) => [`anchors/${n}.note`, `[${'[],'.repeat(MB / 3 - 9)}[]]`]),
  ],
  [
    'time stamps that are deep',
    (all) =>
      many(all, 500, (n) => [`anchors/${n}.tsr`, Buffer.alloc(MB - 1, '\x30\x80', 'latin1')]),
  ],
  [
    'time stamps of many small parts',
    (all) => {
      const part = Buffer.concat([
        Buffer.from('30827ff0', 'hex'),
        Buffer.alloc(2 ** 15 - 16, '\x05\x00'),
      ])
      many(all, 900, (n) => [`anchors/${n}.tsr`, part])
      many(all, 900, (n) => [`anchors/${n}.pem`, 'x'])
      // A wrong count, because the page checks no time stamps and would find nothing else.
      edit('bundle.json', (text) => text.replace(/"entries":\s*\d+/, '"entries": 1'))(all)
    },
  ],
  [
    'very many files that no entry names',
    (all) => many(all, 3_200, (n) => [`files/${sha256Hex(`${n}`)}`, `${n}`]),
  ],
]

function many(all: Members, count: number, of: (n: number) => readonly [string, string | Buffer]) {
  for (let n = 0; n < count; n++) {
    const [name, content] = of(100_000 + n)
    all.set(name, Buffer.from(content))
  }
}

function nested(all: Members, depth: number): void {
  for (const name of ['bundle.json', 'older.ndjson', 'checkpoint', 'files.ndjson'])
    all.set(name, Buffer.alloc(depth, '['))
}

/** States the true size of each member in the facts, as a key holder would. */
export function stateSizes(all: Members): void {
  const { sizes = {} } = factsOf(all)
  for (const [name, { length }] of all)
    if ((sizes[name] ?? 0) < length && name !== 'bundle.json') sizes[name] = length
  edit('bundle.json', (text) => (text.startsWith('{') ? withSizes(text, sizes) : text))(all)
}

function stateSize(all: Members, name: string, bytes: number): void {
  edit('bundle.json', (text) => withSizes(text, { ...factsOf(all).sizes, [name]: bytes }))(all)
}

function factsOf(all: Members): { sizes?: Record<string, number> } {
  const text = textOf(all, 'bundle.json')
  return text.startsWith('{') ? (JSON.parse(text) as { sizes?: Record<string, number> }) : {}
}

/** Replaces the sizes in the text without parsing it, since it may be invalid JSON. */
function withSizes(text: string, sizes: Record<string, number>): string {
  return text.replace(/"sizes":\s*\{[^}]*\}/, `"sizes":${JSON.stringify(sizes)}`)
}

function textOf(all: Members, name: string): string {
  return all.get(name)?.toString() ?? ''
}

function times(line: string, bytes: number): Buffer {
  return Buffer.alloc(bytes - (bytes % line.length), line)
}

/** Appends a wrong line, so that the member is refused only at its end. */
function wrongAtLast(lines: Buffer): Buffer {
  return Buffer.concat([lines, Buffer.from('{}\n')])
}

/** Repeats a line, with enough random letters in between that it does not compress like a zip bomb. */
function sprinkled(line: string, bytes: number): Buffer {
  const whole = times(line, bytes)
  for (let at = 40, n = 0; at + 4_096 < whole.length; at += 4_096, n++)
    whole.write(
      sha256Hex(`${n}`).slice(0, 48),
      at - (at % line.length) + line.indexOf('-'),
      'latin1',
    )
  return whole
}

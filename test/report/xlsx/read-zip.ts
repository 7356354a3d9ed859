import { inflateRawSync } from 'node:zlib'

/** The parts of a zip by name, as text. Reads only such zips as the workbook writer makes. */
export function readZip(zip: Buffer, names?: readonly string[]): Map<string, string> {
  const parts = [...zipParts(zip)].filter(([name]) => names?.includes(name) !== false)
  return new Map(parts.map(([name, content]) => [name, content().toString()]))
}

/** The parts of a zip by name, each unpacked only when its function is called. */
export function zipParts(zip: Buffer): Map<string, () => Buffer> {
  const parts = new Map<string, () => Buffer>()
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((o) =>
      zip.readUInt16LE(at + o),
    )
    const name = zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0))
    const local = zip.readUInt32LE(at + 42)
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const packed = zip.subarray(start, start + zip.readUInt32LE(at + 20))
    const deflated = zip.readUInt16LE(at + 10) === 8
    parts.set(name, () => (deflated ? inflateRawSync(packed) : packed))
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0)
  }
  return parts
}

/** The names of the children of the root element, in order; throws where tags do not match. */
export function rootChildren(xml: string): string[] {
  const open: string[] = []
  const children: string[] = []
  for (const [, close, name = '', self] of xml.matchAll(/<(\/?)([\w:]+)[^>]*?(\/?)>/g)) {
    if (close === '/') {
      if (open.pop() !== name) throw new Error(`</${name}> closes another element`)
      continue
    }
    if (open.length === 1) children.push(name)
    if (self !== '/') open.push(name)
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)}> is never closed`)
  return children
}

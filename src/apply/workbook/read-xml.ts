import { SaxesParser } from 'saxes'

/** Receives element names without their prefix, and text with its entities decoded. */
export interface XmlHandler<Taken = never> {
  open?(element: string, attributes: Readonly<Record<string, string>>): void
  close?(element: string): void
  text?(text: string): void
  /** Returns everything gathered since the last call. */
  take?(): readonly Taken[]
}

/**
 * Parses a byte stream in constant memory. Rejects document types, whose entities could multiply, and
 * unbounded nesting, attributes or text. Yields the handler's results after each piece.
 */
export async function* readXml<Taken>(
  bytes: AsyncIterable<unknown>,
  handler: XmlHandler<Taken>,
): AsyncGenerator<Taken> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parser = new SaxesParser({ position: false })
  let sinceTag = 0
  let depth = 0
  let attributesOfTag = 0
  parser.on('opentagstart', () => {
    if (++depth > MOST_DEPTH) throw new Error(`elements nested deeper than ${MOST_DEPTH}`)
    attributesOfTag = 0
  })
  parser.on('attribute', () => {
    if (++attributesOfTag > MOST_ATTRIBUTES)
      throw new Error(`an element of more than ${MOST_ATTRIBUTES} attributes`)
  })
  parser.on('opentag', ({ name, attributes }) => {
    sinceTag = 0
    handler.open?.(local(name), attributes as Record<string, string>)
  })
  parser.on('closetag', ({ name }) => {
    sinceTag = 0
    depth--
    handler.close?.(local(name))
  })
  parser.on('text', (text) => handler.text?.(text))
  parser.on('cdata', (text) => handler.text?.(text))
  parser.on('doctype', () => {
    throw new Error('a document type')
  })
  for await (const piece of bytes) {
    const text = decoder.decode(piece as Uint8Array, { stream: true })
    sinceTag += text.length
    parser.write(text)
    if (sinceTag > MOST_BETWEEN_TAGS) throw new Error('text without end')
    yield* handler.take?.() ?? []
  }
  parser.write(decoder.decode()).close()
  yield* handler.take?.() ?? []
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** The most characters between tags. A cell has at most 32,767, each written as seven if it is escaped. */
const MOST_BETWEEN_TAGS = 2 ** 20
/** Limits far above real files: programs nest about ten elements, with about 20 attributes each. */
const MOST_DEPTH = 256
const MOST_ATTRIBUTES = 1_024

import { SaxesParser } from 'saxes'

/** Element names come without their prefix, text as the document means it. */
export interface XmlHandler<Taken = never> {
  open?(element: string, attributes: Readonly<Record<string, string>>): void
  close?(element: string): void
  text?(text: string): void
  /** What was gathered since it was last asked for. */
  take?(): readonly Taken[]
}

/**
 * Parses as the bytes come, in constant memory: a document type, whose entities could multiply, elements in
 * elements or attributes without end, and text without end are refused where they pass the bound. Yields what
 * the handler has gathered after each piece.
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

/** A cell holds 32,767 characters, each of them at most seven in an escape. */
const MOST_BETWEEN_TAGS = 2 ** 20
/** Programs nest some ten elements, and give one some twenty attributes. */
const MOST_DEPTH = 256
const MOST_ATTRIBUTES = 1_024

/** Returns text as the warehouse stores it: NUL and lone surrogates are replaced. */
export function cleanText(text: string): string {
  return HARMFUL.test(text) ? text.replaceAll('\0', '␀').toWellFormed() : text
}

/** Cleans a key. Escapes lone surrogates, so that keys that differ only in these stay different. */
export function cleanKey(text: string): string {
  if (!HARMFUL.test(text)) return text
  return text.replaceAll('\0', '␀').replace(LONE, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/**
 * Gives some rows text that breaks naive loaders: NUL, a lone surrogate, an emoji, a text that looks like a
 * formula.
 */
export function addOddText(text: string, h: number): string {
  switch (h % 1500) {
    case 1:
      return `${text}\0 pasted`
    case 2:
      return `${text} \ud83d`
    case 3:
      return `${text} 🚀`
    case 4:
      return `=${text}`
    case 5:
      return `${text} \udc00\0`
    default:
      return text
  }
}

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
// biome-ignore lint: NUL is what is looked for
const HARMFUL = /[\0\ud800-\udfff]/

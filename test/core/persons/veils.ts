const each = (text: string, change: (character: string) => string): string =>
  Array.from(text, change).join('')
const percent = (text: string): string => Buffer.from(text).toString('hex').replace(/../g, '%$&')
const between = (mark: string) => (text: string) => Array.from(text).join(mark)
const code = (character: string, base: number, width: number): string =>
  (character.codePointAt(0) ?? 0).toString(base).padStart(width, '0')

/** Encodings of a text that a person or program still reads, but that no plain comparison finds. */
export const VEILS: Readonly<Record<string, (text: string) => string>> = {
  percent,
  capitals: (text) => percent(text).toUpperCase(),
  component: (text) => encodeURIComponent(text).replace(/[.]/, '%2e'),
  twice: (text) => encodeURIComponent(percent(text)),
  unicode: (text) => each(text, (one) => `\\u${code(one, 16, 4)}`),
  slashes: (text) => text.replaceAll('/', '\\/').replace('a', '\\u0061'),
  nested: (text) => JSON.stringify(each(text, (one) => `\\u${code(one, 16, 4)}`)).slice(1, -1),
  decimal: (text) => each(text, (one) => `&#${code(one, 10, 1)};`),
  hex: (text) => each(text, (one) => `&#x${code(one, 16, 6)};`),
  wide: (text) =>
    each(text, (one) =>
      /[!-~]/.test(one) ? String.fromCharCode(one.charCodeAt(0) + 0xfee0) : one,
    ),
  bold: (text) =>
    each(text, (one) =>
      /[a-z]/.test(one) ? String.fromCodePoint(0x1d41a + one.charCodeAt(0) - 97) : one,
    ),
  ligature: (text) => text.replaceAll('fi', '\ufb01').replaceAll('a', '\u1d43'),
  apart: (text) => text.normalize('NFD'),
  'zero width': between('\u200b'),
  joiner: between('\u200d'),
  'soft hyphen': between('\u00ad'),
  grapheme: between('\u034f'),
  'word joiner': between('\u2060'),
  mark: (text) => `\ufeff${between('\u200e')(text)}\u202c`,
  isolate: between('\u2066'),
  tag: between('\u{e0061}'),
  variation: between('\ufe0f'),
  control: between('\u0007'),
  mixed: (text) => percent(each(text, (one) => (one === 'a' ? '\uff41\u200b' : one))),
}

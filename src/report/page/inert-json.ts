/** Data in an element that a browser neither shows nor runs. */
export function jsonElement(json: string, id?: string): string {
  const named = id === undefined ? '' : ` id="${id}"`
  return `<script type="application/json"${named}>${json}</script>\n`
}

/**
 * JSON without characters that could end the element or begin another (`<`), or that could be read as an
 * entity (`&`) or a line end.
 */
export function inertJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const UNSAFE = /[<&\u2028\u2029]/g

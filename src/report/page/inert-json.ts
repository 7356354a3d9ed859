/** Data in an element that a browser neither shows nor runs. */
export function jsonElement(json: string, id?: string): string {
  const named = id === undefined ? '' : ` id="${id}"`
  return `<script type="application/json"${named}>${json}</script>\n`
}

/**
 * JSON without what could end the element that it stands in, or begin another (`<`), and without what could
 * be taken for a reference (`&`) or for the end of a line.
 */
export function inertJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const UNSAFE = /[<&\u2028\u2029]/g

/** Puts data into an element that a browser neither shows nor runs. */
export function jsonElement(json: string, id?: string): string {
  const named = id === undefined ? '' : ` id="${id}"`
  return `<script type="application/json"${named}>${json}</script>\n`
}

/**
 * Escapes JSON: no character can end the element or begin another (`<`), start an entity (`&`), or end a
 * line.
 */
export function inertJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const UNSAFE = /[<&\u2028\u2029]/g

/**
 * Which IDs are encoded twice in a path, where that is not the same as once. An ID that is written in another
 * way than the service reads it is another ID, or no path at all.
 */
export const ENCODING_RULES = {
  once: () => false,
  /** As the documents want it of the ID of a session report. */
  'odd-slashes': (id) => /^[+/]|\/\//.test(id),
} as const satisfies Readonly<Record<string, (id: string) => boolean>>

export type EncodingRule = keyof typeof ENCODING_RULES
export type EncodingWay = 'once' | 'twice'

export function wayOf(rule: EncodingRule, id: string): EncodingWay {
  return ENCODING_RULES[rule](id) ? 'twice' : 'once'
}

export function encodeId(id: string, way: EncodingWay): string {
  const once = encodeURIComponent(id)
  return way === 'twice' ? encodeURIComponent(once) : once
}

/** Most IDs read the same in both ways. */
export function isAmbiguous(id: string): boolean {
  return id.isWellFormed() && encodeURIComponent(id) !== id
}

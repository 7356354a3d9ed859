/** `svc` maps to the vendor's name, used in all words; any other key is a neutral word to replace. */
export type WordSettings = Readonly<Record<string, string | undefined>>

/** Translates between the documents' neutral words and the service's own. */
export interface Words {
  /** Translates a word of the documents into the service's; returns any other word unchanged. */
  own(word: string): string
  /** Translates a word of the service into the documents'; returns any other word unchanged. */
  neutral(word: string): string
  /** The pairs of words that differ in field values. */
  inFields: readonly (readonly [neutral: string, own: string])[]
}

/** `svc` maps to the vendor's name, used in all words; any other key is a neutral word to replace. */
export type WordSettings = Readonly<Record<string, string | undefined>>

/** Translates between the documents' neutral words and the service's own. */
export interface Words {
  /** The service's word for one of the documents; any other word unchanged. */
  own(word: string): string
  /** The documents' word for one of the service's; any other word unchanged. */
  neutral(word: string): string
  /** The pairs of words that differ in field values. */
  inFields: readonly (readonly [neutral: string, own: string])[]
}

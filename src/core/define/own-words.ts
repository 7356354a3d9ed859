/**
 * `svc` maps to its replacement in all words; any other key is a neutral word and maps to the service's own.
 */
export type WordSettings = Readonly<Record<string, string | undefined>>

/** The documents' neutral words and the deployment's own, both ways. */
export interface Words {
  /** The service's word for one of the documents; any other word unchanged. */
  own(word: string): string
  /** The documents' word for one of the service's; any other word unchanged. */
  neutral(word: string): string
  /** The words that differ in field values: the documents' and the service's. */
  inFields: readonly (readonly [neutral: string, own: string])[]
}

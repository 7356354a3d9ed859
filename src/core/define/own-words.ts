/** By `svc` what stands in place of it in all words; by any other key, a neutral word, the service's own. */
export type WordSettings = Readonly<Record<string, string | undefined>>

/** The documents' neutral words and the deployment's own, both ways. */
export interface Words {
  /** The service's word for one of the documents; any other as it is. */
  own(word: string): string
  /** The documents' word for one of the service's; any other as it is. */
  neutral(word: string): string
  /** What differs in the values of fields: the documents' word, and the service's. */
  inFields: readonly (readonly [neutral: string, own: string])[]
}

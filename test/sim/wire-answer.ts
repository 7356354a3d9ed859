/** An answer as it is on the wire: all of it, before anybody read anything into it. */
export interface WireAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

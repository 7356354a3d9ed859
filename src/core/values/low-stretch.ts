/** Days on which far fewer records of a stream began than on the same weekdays before. */
export interface LowStretch {
  stream: string
  of?: string
  notifications?: true
  fromDay: number
  /** The last of these days. */
  toDay: number
  /** How many of these days are low; all of them in a gap without records. */
  days: number
  /** The number of records expected by weekday; `came` is the actual number. */
  expected: number
  came: number
  /** Whether the stretch still lasts: no later day was back to normal. */
  open: boolean
  /** True if the other streams were low too, or there are none: the whole account may have been quiet. */
  general: boolean
  /** Whether texts leave out the counts, because the reader may not see those of the whole account. */
  countless?: true
}

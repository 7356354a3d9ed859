/** Days on which far fewer records of a stream began than on the same weekdays before. */
export interface LowStretch {
  stream: string
  of?: string
  notifications?: true
  fromDay: number
  /** The last of these days. */
  toDay: number
  /** How many of the days have an expected count; a stream may rest on weekends. */
  days: number
  /** The records expected by weekday, and those that came. */
  expected: number
  came: number
  /** Whether the stretch still lasts: no later day was back to normal. */
  open: boolean
  /** No other stream of the account shows that only this one is low. */
  general: boolean
}

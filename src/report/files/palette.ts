import type { Chart, ChartTone } from '../../core/define/chart.ts'

/**
 * The colors of the workbook and the page, as RRGGBB. Qualities differ in lightness too, for print and
 * color-blind readers.
 */
export const INK = '1F2937'
export const MUTED = '6B7280'
export const RULE = 'E5E7EB'
export const HEADER = '1F3A5F'
/** Colors of editable cells and of their header. */
export const EDITABLE = 'FFF6D6'
export const EDITABLE_HEADER = '8A5A00'

export const TONES: Record<ChartTone, string> = {
  good: '2E9E6B',
  fair: 'F2C14E',
  poor: 'EE8434',
  bad: 'C0392B',
  neutral: '9AA5B1',
  accent: '2F6FB3',
}

/** The background and text color of each quality, note and change. */
export const TINTS: Record<string, { fill: string; text: string }> = {
  good: { fill: 'DDF3E7', text: '17633F' },
  fair: { fill: 'FDF3D3', text: '7A5B00' },
  poor: { fill: 'FCE3CF', text: '8F4307' },
  bad: { fill: 'F8D7D3', text: '8E1F14' },
  warning: { fill: 'FDF3D3', text: '7A5B00' },
  plain: { fill: 'F3F6FA', text: '334155' },
}

/** The tint of a cell by the state that it contains. States not listed here have no color. */
export const STATE_TINTS: Readonly<Record<string, keyof typeof TINTS>> = {
  complete: 'good',
  'not proven': 'fair',
  incomplete: 'bad',
  'not read': 'bad',
  stored: 'good',
  pending: 'fair',
  expired: 'bad',
  missing: 'bad',
  refused: 'bad',
  balanced: 'good',
  'nothing due': 'good',
  'counted twice': 'fair',
  quarantined: 'fair',
  'low volume': 'fair',
  'not allowed': 'fair',
  'never read': 'fair',
  'does not add up': 'bad',
  failed: 'bad',
  worse: 'bad',
  better: 'good',
  unusual: 'bad',
  'may be chance': 'plain',
  above: 'bad',
  below: 'good',
  'as expected': 'plain',
  'too few': 'plain',
  missed: 'bad',
  met: 'good',
}

/** From this value on, a share of bad sessions is fully red. */
export const FULL_RED_SHARE = 0.3
export const RED = 'E8786B'

export function seriesColour(series: Chart['series'][number], index: number): string {
  return series.tone === undefined
    ? (SERIES[index % SERIES.length] ?? TONES.accent)
    : TONES[series.tone]
}

export const SERIES = ['2F6FB3', '2A9D8F', '7A5EA8', 'E9A23B', '9AA5B1', 'D1495B']

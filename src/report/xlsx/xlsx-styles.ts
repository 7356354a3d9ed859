import type { Borders, ConditionalFormattingRule, Fill, Style } from 'exceljs'
import type { CellFormat, TableColumn } from '../../core/define/report.ts'
import { isNumeric } from '../files/browser/format-cell.js'
import {
  EDITABLE,
  EDITABLE_HEADER,
  FULL_RED_SHARE,
  HEADER,
  INK,
  MUTED,
  RED,
  RULE,
  STATE_TINTS,
  TINTS,
} from '../files/palette.ts'
import { NUMBER_FORMATS } from './xlsx-value.ts'

export type CellStyle = Partial<Style>

/** Every font has a name: without one, programs use a serif font. */
const FONT = { name: 'Calibri', family: 2, size: 11 }
const argb = (colour: string) => ({ argb: `FF${colour}` })
const solid = (colour: string): Fill => ({
  type: 'pattern',
  pattern: 'solid',
  fgColor: argb(colour),
})
const below: Partial<Borders> = { bottom: { style: 'thin', color: argb(RULE) } }

export const TITLE: CellStyle = { font: { ...FONT, size: 18, bold: true, color: argb(HEADER) } }
export const SUBTITLE: CellStyle = { font: { ...FONT, size: 10, color: argb(MUTED) } }
export const HEADING: CellStyle = { font: { ...FONT, size: 13, bold: true, color: argb(INK) } }
export const LINK: CellStyle = {
  font: { ...FONT, color: argb('2F6FB3'), underline: true },
  alignment: { vertical: 'top' },
}
export const NOTE_LINK: CellStyle = { ...LINK, alignment: { vertical: 'middle' } }
export const QUIET: CellStyle = { font: { ...FONT, italic: true, color: argb(MUTED) } }
const headerBase: CellStyle = {
  font: { ...FONT, bold: true, color: argb('FFFFFF') },
  fill: solid(HEADER),
  border: { bottom: { style: 'thin', color: argb(HEADER) } },
}
const HEADER_LEFT: CellStyle = {
  ...headerBase,
  alignment: { vertical: 'middle', horizontal: 'left', indent: 1, wrapText: true },
}
const HEADER_RIGHT: CellStyle = {
  ...headerBase,
  alignment: { vertical: 'middle', horizontal: 'right', indent: 1, wrapText: true },
}

export function headerStyle(format: CellFormat, kind: 'plain' | 'editable' = 'plain'): CellStyle {
  const plain = isNumeric(format) ? HEADER_RIGHT : HEADER_LEFT
  return kind === 'plain' ? plain : edited(plain, EDITABLE_HEADER)
}

/** The style of an editable cell: tinted, and unlocked on a protected sheet. */
export function editableStyle(style: CellStyle): CellStyle {
  const known = UNLOCKED.get(style) ?? {
    ...edited(style, EDITABLE),
    protection: { locked: false },
  }
  UNLOCKED.set(style, known)
  return known
}

const UNLOCKED = new WeakMap<CellStyle, CellStyle>()

function edited(style: CellStyle, tint: string): CellStyle {
  return { ...style, fill: solid(tint) }
}

/**
 * Returns the style of a body cell. The writer numbers styles by object, so each kind has exactly one object.
 */
export function bodyStyle(format: CellFormat, kind: 'plain' | 'label' = 'plain'): CellStyle {
  return kind === 'plain' ? BODY[format] : LABEL
}

/** Returns a style that looks the same and keeps a text from becoming a formula when its cell is edited. */
export function quoted(style: CellStyle): CellStyle {
  const known = QUOTED.get(style) ?? {
    ...style,
    numFmt: '@',
    // Left-to-right reading order marks the styles that get a quote prefix (`package-xml.ts`).
    alignment: { ...style.alignment, readingOrder: 'ltr' },
  }
  QUOTED.set(style, known)
  return known
}

const QUOTED = new WeakMap<CellStyle, CellStyle>()
const LABEL: CellStyle = {
  font: { ...FONT, bold: true, color: argb(INK) },
  border: below,
  alignment: { vertical: 'middle', horizontal: 'left', indent: 1, wrapText: true },
}
const BODY = Object.fromEntries(
  (Object.keys(NUMBER_FORMATS) as CellFormat[]).map((format) => [format, plainBody(format)]),
) as Record<CellFormat, CellStyle>

function plainBody(format: CellFormat): CellStyle {
  const text = format === 'text' || format === 'boolean'
  return {
    font: { ...FONT, color: argb(INK) },
    numFmt: NUMBER_FORMATS[format],
    border: below,
    alignment: {
      vertical: 'middle',
      horizontal: isNumeric(format) ? 'right' : 'left',
      indent: 1,
      ...(text ? { wrapText: true } : {}),
    },
  }
}

const NOTES = Object.fromEntries(
  Object.entries(TINTS).map(([tone, { fill, text }]) => [
    tone,
    {
      font: { ...FONT, color: argb(text), bold: tone === 'bad' },
      fill: solid(fill),
      alignment: { vertical: 'middle', wrapText: true, indent: 1 },
    } satisfies CellStyle,
  ]),
)

export function noteStyle(tone: string): CellStyle {
  return NOTES[tone] ?? {}
}

export function figureStyle(format: CellFormat): CellStyle {
  return FIGURES[format]
}

const FIGURES = Object.fromEntries(
  Object.entries(BODY).map(([format, style]) => [
    format,
    { ...style, alignment: { vertical: 'middle', horizontal: 'right', indent: 1 } },
  ]),
) as Record<CellFormat, CellStyle>

/** The style of a change; a change of a duration is text. */
export function changeStyle(format: CellFormat, mood: 'good' | 'bad' | 'none'): CellStyle {
  return CHANGES[`${format}/${mood}`] ?? {}
}

/**
 * The formats of changes. A change of a duration is text, because spreadsheet programs show a negative time
 * as number signs. A change of a share is in percentage points, because a percent sign would look relative.
 */
const CHANGE_FORMATS: Record<CellFormat, string> = {
  ...NUMBER_FORMATS,
  percent: '#,##0.0" pp"',
  seconds: '@',
}

const CHANGES: Record<string, CellStyle> = Object.fromEntries(
  (Object.keys(CHANGE_FORMATS) as CellFormat[]).flatMap((format) =>
    (['good', 'bad', 'none'] as const).map((mood) => [`${format}/${mood}`, change(format, mood)]),
  ),
)

function change(format: CellFormat, mood: 'good' | 'bad' | 'none'): CellStyle {
  const number = CHANGE_FORMATS[format]
  const tint = mood === 'none' ? MUTED : (TINTS[mood]?.text ?? INK)
  return {
    numFmt: isNumeric(format) && format !== 'seconds' ? `+${number};-${number};${number}` : number,
    border: below,
    alignment: { vertical: 'middle', horizontal: 'right', indent: 1 },
    font: { ...FONT, color: argb(tint), bold: mood !== 'none' },
  }
}

/**
 * Returns rules that color a column's cells; they stay in the file, so colors stay correct after sorting and
 * editing.
 */
export function tintRules(tint: NonNullable<TableColumn['tint']>): ConditionalFormattingRule[] {
  if (tint === 'quality') return wordRules(QUALITY_TINTS)
  if (tint === 'state') return wordRules(STATE_TINTS)
  if (tint === 'change') return []
  if (tint === 'delta') {
    return [rule('greaterThan', 'bad', 1), rule('lessThan', 'good', 2)]
  }
  return [
    {
      type: 'colorScale',
      priority: 1,
      cfvo: [
        { type: 'num', value: 0 },
        { type: 'num', value: FULL_RED_SHARE },
      ],
      color: [argb('FFFFFF'), argb(RED)],
    },
  ]
}

function wordRules(tints: Readonly<Record<string, string>>): ConditionalFormattingRule[] {
  return Object.entries(tints).map(([word, tone], index) => ({
    type: 'cellIs',
    operator: 'equal',
    priority: index + 1,
    formulae: [`"${word}"`],
    style: tinted(tone),
  }))
}

const QUALITY_TINTS = { good: 'good', fair: 'fair', poor: 'poor', bad: 'bad' }

function rule(
  operator: 'greaterThan' | 'lessThan',
  tone: string,
  priority: number,
): ConditionalFormattingRule {
  return { type: 'cellIs', operator, priority, formulae: [0], style: tinted(tone) }
}

function tinted(tone: string): Partial<Style> {
  const { fill = 'FFFFFF', text = INK } = TINTS[tone] ?? {}
  return {
    // A rule's font may only set the color: programs would remove a name or size as a repair.
    font: { color: argb(text) },
    fill: { type: 'pattern', pattern: 'solid', bgColor: argb(fill) },
  }
}

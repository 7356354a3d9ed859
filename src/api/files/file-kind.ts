import { errorFields, isAboutError, saysError } from '../answers/error-body.ts'
import { type AnswerHeaders, header } from '../answers/headers.ts'

/** The parts of a download's answer that show if it is something other than the file. */
export interface FileBody {
  headers: AnswerHeaders
  /** The first bytes of the body, or all of a small one. */
  held: Buffer
  bytes: number
}

/**
 * Describes an answer that is clearly not the file; undefined if it may be the file, which may have any type.
 * Detects an HTML page, an error, an address to fetch the file from, JSON in place of a text file such as
 * vtt, and text in place of audio, images or the like.
 */
export function inPlaceOfFile(body: FileBody, kind: string | undefined): string | undefined {
  const { headers, held, bytes } = body
  const start = held
    .toString('latin1', 0, 256)
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trimStart()
  if (/^(?:<!doctype html|<html[\s>])/i.test(start)) return PAGE
  if (/^(?:<\?xml[^>]*>)?\s*<Error>/.test(start)) return 'an error in XML'
  const json = held.length === bytes ? jsonOf(held) : undefined
  if (isAddress(json)) return 'a link to the file'
  if (isErrorAlone(json)) return 'an error in JSON'
  const type = header(headers, 'content-type') ?? ''
  const due = formOf(kind) ?? formOf(nameExtension(headers))
  const isJson = json !== undefined || (/^[[{]/.test(start) && /json/i.test(type))
  if (due === 'text' && isJson) return `JSON, not ${String(kind)}`
  if (due !== 'binary' && !(due === undefined && BINARY_TYPES.test(type))) return undefined
  if (due === 'binary' && TEXT_TYPES.test(type)) return `text (${plainType(type)})`
  return /^[[{<][\s\x20-\x7e]*$/.test(start) ? 'text' : undefined
}

/** Describes an HTML page in place of a file. */
export const PAGE = 'an HTML page'

type Form = 'binary' | 'text'

/** Undefined for kinds such as timelines, which are JSON of any form. */
function formOf(kind: string | undefined): Form | undefined {
  return kind === undefined ? undefined : FORMS[kind.toLowerCase().replace(/^\./, '')]
}

function nameExtension(headers: AnswerHeaders): string | undefined {
  const disposition = header(headers, 'content-disposition') ?? ''
  return /filename\*?=[^;]*\.(\w{1,8})"?\s*(?:;|$)/i.exec(disposition)?.[1]
}

function plainType(type: string): string {
  return type
    .replace(/;.*/s, '')
    .replaceAll(/[^\w/+.-]/g, '')
    .slice(0, 40)
}

function jsonOf(held: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(held.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns true for an object with an address to fetch, called `download_url` or among a few plain fields. */
function isAddress(json: unknown): boolean {
  const fields = Object.entries(json ?? {})
  const isPlain = fields.length <= MOST_FIELDS && fields.every(([, one]) => typeof one !== 'object')
  const found = fields.some(
    ([name, one]) => ADDRESS.test(name) && typeof one === 'string' && /^https?:\/\//i.test(one),
  )
  return found && (isPlain || fields.some(([name]) => /^download_?url$/i.test(name)))
}

/** Returns true if there are only error fields, and at least one reports an error. */
function isErrorAlone(json: unknown): boolean {
  if (json === undefined || Array.isArray(json)) return false
  const body = json as object
  if (!Object.keys(body).every((name) => ERROR_FIELDS.has(name.toLowerCase()))) return false
  const { code, message } = errorFields(body)
  return (
    saysError(body) ||
    (code !== undefined && code !== '0' && message !== '') ||
    isAboutError(message)
  )
}

const FORMS: Readonly<Record<string, Form>> = {
  ...of('binary', 'mp4 m4a m4v mov mp3 wav webm ogg png jpg jpeg gif webp bmp tiff pdf zip'),
  ...of('text', 'transcript chat cc csv vtt srt txt'),
}

function of(form: Form, names: string): Record<string, Form> {
  return Object.fromEntries(names.split(' ').map((name) => [name, form]))
}

const BINARY_TYPES = /^(?:video|audio|font)\/|^image\/(?!svg)|^application\/(?:pdf|zip)\b/i
const TEXT_TYPES = /^text\/|[/+](?:json|xml)\b/i
const ADDRESS = /^(?:(?:download|file|signed|redirect)?_?(?:url|uri|link)|href|location)$/i
const MOST_FIELDS = 12
const ERROR_FIELDS = new Set(
  `code message errors error reason status success ok result details detail title type instance path
  timestamp error_code errorcode error_message errormessage error_description trackingid tracking_id
  request_id requestid statuscode status_code description`.split(/\s+/),
)

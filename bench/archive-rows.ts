/** The bench's archive: sessions with as many activities each, and a file of each activity. */
export const FILES_EACH = 100
export const FILE_BYTES = 20_480

export function sessionOf(file: number): string {
  return `session-${Math.floor(file / FILES_EACH)}`
}

export function activityOf(file: number): string {
  return `activity-${file}`
}

export function downloadPath(file: number): string {
  return `/v2/whiteboards/sessions/activity/download/${file}?signature=bench`
}

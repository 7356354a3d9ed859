import { RELATIONSHIPS, xmlEscape } from './package-xml.ts'
import { cellText } from './xlsx-text.ts'

/** A place on a sheet: a cell, counted from 0, and the horizontal offset in the cell. */
export interface Corner {
  column: number
  columnOffsetPx: number
  row: number
}

/** A chart's position: both corners are tied to cells, so charts do not overlap if columns are wider. */
export interface Anchor {
  from: Corner
  to: Corner
  /** The number of the chart part. */
  chart: number
  title: string
}

export function drawingXml(anchors: readonly Anchor[]): string {
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"' +
    ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">` +
    `${anchors.map(frame).join('')}</xdr:wsDr>`
  )
}

export function drawingRelationships(anchors: readonly Anchor[]): string {
  const items = anchors.map(
    ({ chart }, index) =>
      `<Relationship Id="rId${index + 1}" Type="${RELATIONSHIPS}/chart"` +
      ` Target="../charts/chart${chart}.xml"/>`,
  )
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
    `${items.join('')}</Relationships>`
  )
}

function frame(anchor: Anchor, index: number): string {
  const title = xmlEscape(cellText(anchor.title))
  return (
    `<xdr:twoCellAnchor editAs="oneCell">${corner('from', anchor.from)}${corner('to', anchor.to)}` +
    '<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr>' +
    `<xdr:cNvPr id="${index + 2}" name="Chart ${index + 1}" descr="${title}"/>` +
    '<xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr>' +
    '<xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm>' +
    '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">' +
    '<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"' +
    ` xmlns:r="${RELATIONSHIPS}" r:id="rId${index + 1}"/></a:graphicData></a:graphic></xdr:graphicFrame>` +
    '<xdr:clientData/></xdr:twoCellAnchor>'
  )
}

function corner(name: 'from' | 'to', { column, columnOffsetPx, row }: Corner): string {
  const offset = Math.round(columnOffsetPx * EMU_PER_PX)
  return (
    `<xdr:${name}><xdr:col>${column}</xdr:col><xdr:colOff>${offset}</xdr:colOff>` +
    `<xdr:row>${row}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:${name}>`
  )
}

const EMU_PER_PX = 9525

/**
 * The numbered operations of documents 2 and 3, as counted there: 32 and 22. What a section says of all its
 * operations is said of each. The list of consent policies has its path and label from `docs/readings.md`.
 * Each has a line with document, item, call, label and the status of success, and below it its scopes and its
 * granular scopes, where they are told.
 */
const OPERATIONS = `
2 1 GET /whiteboards/sessions MEDIUM 200
  whiteboard_content:read whiteboard_content:read:admin
  whiteboard:read:list_sessions whiteboard:read:list_sessions:admin
2 2 GET /whiteboards/sessions/activity/download/{path} MEDIUM 200
  whiteboard_content:read whiteboard_content:read:admin
  whiteboard:read:archived_file whiteboard:read:archived_file:admin
2 3 GET /whiteboards/sessions/{seesionId} MEDIUM 200
  whiteboard_content:read whiteboard_content:read:admin
  whiteboard:read:session whiteboard:read:session:admin
2 4 GET /whiteboards/classification_labels LIGHT 200
  whiteboard_classification_labels:read:admin whiteboard_classification_labels:read
  whiteboard:read:list_classification_labels:admin whiteboard:read:list_classification_labels
2 5 POST /whiteboards/classification_labels LIGHT 201
  whiteboard_classification_labels:write:admin
  whiteboard:write:classification_labels:admin
2 6 GET /whiteboards/classification_labels/{classificationId} LIGHT 200
  whiteboard_classification_labels:read:admin
  whiteboard:read:classification_labels:admin
2 7 DELETE /whiteboards/classification_labels/{classificationId} LIGHT 204
  whiteboard_classification_labels:write:admin
  whiteboard:delete:classification_labels:admin
2 8 PATCH /whiteboards/classification_labels/{classificationId} LIGHT 204
  whiteboard_classification_labels:write:admin
  whiteboard:update:classification_labels:admin
2 9 PUT /whiteboards/{whiteboardId}/classification LIGHT 204
  whiteboard:write:admin whiteboard:write
  whiteboard:update:whiteboard_classification whiteboard:update:whiteboard_classification:admin
2 10 DELETE /whiteboards/{whiteboardId}/classification LIGHT 204
  whiteboard:write whiteboard:write:admin
  whiteboard:delete:whiteboard_classification whiteboard:delete:whiteboard_classification:admin
2 11 GET /whiteboards/{whiteboardId}/collaborator MEDIUM 200
  whiteboard_collaborator:read:admin whiteboard_collaborator:read
  whiteboard:read:list_collaborators:admin whiteboard:read:list_collaborators
2 12 POST /whiteboards/{whiteboardId}/collaborator MEDIUM 201
  whiteboard_collaborator:write:admin whiteboard_collaborator:write
  whiteboard:write:collaborator:admin whiteboard:write:collaborator
2 13 PATCH /whiteboards/{whiteboardId}/collaborator MEDIUM 204
  whiteboard_collaborator:write:admin whiteboard_collaborator:write
  whiteboard:update:collaborator:admin whiteboard:update:collaborator
2 14 DELETE /whiteboards/{whiteboardId}/collaborator/{collaboratorId} MEDIUM 204
  whiteboard_collaborator:write:admin whiteboard_collaborator:write
  whiteboard:delete:collaborator:admin whiteboard:delete:collaborator
2 15 GET /whiteboards/{whiteboardId}/content LIGHT 200
  whiteboard_content:read
  whiteboard:read:content
2 16 POST /whiteboards/{whiteboardId}/content LIGHT 201
  whiteboard_content:write
  whiteboard:write:content
2 17 DELETE /whiteboards/{whiteboardId}/content LIGHT 204
  whiteboard:write
  whiteboard:delete:content
2 18 GET /whiteboards MEDIUM 200
  whiteboard:read:admin whiteboard:read
  whiteboard:read:list_whiteboards:admin whiteboard:read:list_whiteboards
2 19 PATCH /videosdk/settings/storage LIGHT 204
2 20 GET /videosdk/settings/storage/location LIGHT 200
2 21 POST /videosdk/settings/storage/location LIGHT 201
2 22 GET /videosdk/settings/storage/location/{storageLocationId} LIGHT 200
2 23 DELETE /videosdk/settings/storage/location/{storageLocationId} LIGHT 204
2 24 PATCH /videosdk/settings/storage/location/{storageLocationId} LIGHT 204
2 25 GET /videosdk/recordings MEDIUM 200
2 26 GET /videosdk/sessions/{sessionId}/recordings LIGHT 200
2 27 DELETE /videosdk/sessions/{sessionId}/recordings LIGHT 204
2 28 PUT /videosdk/sessions/{sessionId}/recordings/status LIGHT 204
2 29 DELETE /videosdk/sessions/{sessionId}/recordings/{recordingId} LIGHT 204
2 30 PUT /videosdk/sessions/{sessionId}/recordings/{recordingId}/status LIGHT 204
2 31 GET /videosdk/sessions RESOURCE-INTENSIVE 200
2 32 POST /videosdk/sessions MEDIUM 201
3 1 GET /number_management/carrier/peering_numbers LIGHT 200
  number_management_numbers:read:admin
  number_management:read:list_carrier_peering_numbers:admin
3 2 GET /number_management/peering_numbers LIGHT 200
  number_management_numbers:read:admin
  number_management:read:list_peering_numbers:admin
3 3 POST /number_management/peering_numbers LIGHT 201
  number_management_numbers:write:admin
  number_management:write:peering_number:admin
3 4 DELETE /number_management/peering_numbers LIGHT 200
  number_management_numbers:write:admin
  number_management:delete:peering_number:admin
3 5 PATCH /number_management/peering_numbers LIGHT 204
  number_management_numbers:write:admin
  number_management:update:peering_number:admin
3 6 PATCH /number_management/allocation HEAVY 204
  number_management_numbers:write:admin
  number_management:write:numbers:admin
3 7 POST /number_management/byoc_numbers MEDIUM 201
  number_management_numbers:write:admin
  number_management:write:byoc_numbers:admin
3 8 GET /number_management/numbers LIGHT 200
  number_management_numbers:read:admin
  number_management:read:list_numbers:admin
3 9 DELETE /number_management/numbers MEDIUM 204
  number_management_numbers:write:master
  number_management:delete:numbers:admin
3 10 GET /number_management/numbers/{phoneNumberId} LIGHT 200
  number_management_numbers:read:admin
  number_management:read:numbers:admin
3 11 GET /number_management/sms_consent MEDIUM 200
  number_management_numbers:read:admin
3 12 POST /number_management/sms_consent LIGHT 201
  number_management_numbers:write:admin
  number_management:write:sms_consent:admin
3 13 DELETE /number_management/sms_consent MEDIUM 204
  number_management_numbers:write:admin
  number_management:delete:sms_consent:admin
3 14 GET /number_management/sms_consent/{consentId} LIGHT 200
  number_management_numbers:read:admin
  number_management:read:sms_consent:admin
3 15 PATCH /number_management/sms_consent/{consentId} LIGHT 204
  number_management_numbers:write:admin
  number_management:update:sms_consent:admin
3 16 GET /number_management/sms_consent/{consentId}/phone_numbers MEDIUM 200
  number_management_numbers:read:admin
  number_management:read:sms_consent:admin
3 17 POST /number_management/sms_consent/{consentId}/phone_numbers MEDIUM 201
  number_management_numbers:write:admin
  number_management:write:numbers:admin
3 18 DELETE /number_management/sms_consent/{consentId}/phone_numbers MEDIUM 204
  number_management_numbers:write:admin
  number_management:delete:numbers:admin
3 19 GET /number_management/ported_numbers/orders LIGHT 200
  number_management_numbers:read:admin
  number_management:read:list_ported_numbers:admin
3 20 GET /number_management/ported_numbers/orders/{orderId} LIGHT 200
  number_management_numbers:read:admin
  number_management:read:ported_number:admin
3 21 GET /number_management/sip_groups LIGHT 200
  number_management_numbers:read:admin
  number_management:read:list_sip_groups:admin
3 22 GET /number_management/sip_trunks LIGHT 200
  number_management_numbers:read:admin
  number_management:read:list_sip_trunks:admin
`

/** Status and code of each refusal that the documents list, by document. */
const REFUSALS = {
  2: `400 34002, 404 34000, 403 34003, 403 34004, 404 34005, 409 34006, 404 34007, 403 34008,
    403 34009, 403 111804, 400 400, 404 1001, 400 1010, 400 200, 404 3301, 400 3303, 404 3310,
    405 3312, 400 3313, 403 3335, 403 3336`,
  3: `400 1000, 400 1001, 400 1002, 400 1003, 400 1003_001, 400 1004, 400 100_001, 400 200_005,
    400 1002_003, 400 1002_010, 400 1002010, 400 1002_006, 400 100002, 400 200002, 400 999,
    400 1003100, 400 400, 404 1002013`,
}

export interface DocumentedOperation {
  document: number
  item: number
  call: string
  label: string
  status: number
  scopes: string[]
  granularScopes: string[]
}

export const DOCUMENTED: readonly DocumentedOperation[] = OPERATIONS.trim()
  .split(/\n(?=\d)/)
  .map((entry) => {
    const [head = '', scopes, granularScopes] = entry.split('\n')
    const [document, item, method, path, label = '', status] = head.split(' ')
    return {
      document: Number(document),
      item: Number(item),
      call: `${method} ${path}`,
      label,
      status: Number(status),
      scopes: wordsOf(scopes),
      granularScopes: wordsOf(granularScopes),
    }
  })

export const DOCUMENTED_REFUSALS = Object.entries(REFUSALS).flatMap(([document, refusals]) =>
  refusals.split(/,\s+/).map((refusal) => {
    const [status, code = ''] = refusal.trim().split(' ')
    return { document: Number(document), status: Number(status), code }
  }),
)

function wordsOf(line = ''): string[] {
  return line.split(' ').filter((word) => word !== '' && word !== '-')
}

/** General notes on the API page. Text between backticks is shown as code. */
export const apiNotes = [
  'IDs are integers, sizes are in bytes, durations in seconds, and timestamps in ISO 8601 UTC, such as `2026-01-31T12:00:00.000Z`.',
  'Sessions use a cookie set by `POST /api/login` and `POST /api/register`: `albumen_session`, or `__Host-albumen_session` over HTTPS. A session expires after 30 days without use; any response may renew the cookie.',
  'Requests other than GET and HEAD are rejected with 403 if their `Origin` is another site or their `Sec-Fetch-Site` is anything but `same-origin` or `none`. Clients other than browsers send neither header.',
  'Request bodies are JSON (`application/json`), or `multipart/form-data` for calls that accept files, and must not be compressed. Unknown fields are ignored. Leading and trailing spaces in text are trimmed, and text must not contain the character U+0000. Empty query parameters count as absent.',
  'Errors are `{ "message", "code" }`: a message for people and a code for programs, sometimes with more fields. 400: invalid request; `field` names the invalid field. 401: not signed in. 403: administrators only. 404: not found, or owned by another user. 405: method not allowed; see `Allow`. 409: conflict with the current state. 413: too large, or over the quota. 415: unsupported type. 422: another site failed or a file could not be processed. 429 and 503: try again later; `Retry-After` gives the delay in seconds if known. 500: server error, with its `requestId`. 507: disk full.',
  'GET responses have an `ETag`. Send it back as `If-None-Match` to get 304 with no body if nothing has changed.',
  'Server-sent events are JSON, one per `data:` line. Events from `/api/events` have an id: reconnect with the last one as `Last-Event-ID` to receive the events you missed, or one of type `reset`.',
  'An item lists the URLs of its files: `originalUrl`, `thumbnailUrl` and `playbackUrl`. They support `Range`. Add `?w=` (320, 640, 960, 1280, 1920 or 2560) and `?format=` (webp, avif or jpeg) to get an image resized and converted.',
]

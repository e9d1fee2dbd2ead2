-- POST some calls that the caller runs for each caller, and then revoke them all, again and again. Only the time of the
-- calls counts: `done` prints their rate. Arguments: the credentials of the callers, of which the first one is an admin's and
-- revokes.
local ffi = require("ffi")
ffi.cdef("typedef struct { long s; long ns; } moment; int clock_gettime(int, moment *);")
-- A caller may have 50 open calls, and each of the three runs before may have left as many as this.
local PER_CALLER = 10
local MONOTONIC = 1
local moment = ffi.new("moment")
local credentials, quota
local open, sent, ended, calling, begun = {}, 0, 0, true, nil
local is_asked = false
local threads = {}
calls, seconds, refused = 0, 0, 0

local function now()
  ffi.C.clock_gettime(MONOTONIC, moment)
  return tonumber(moment.s) + tonumber(moment.ns) / 1e9
end

function setup(thread)
  table.insert(threads, thread)
end

function init(arguments)
  credentials = arguments
  quota = #credentials * PER_CALLER
  wrk.headers["Content-Type"] = "application/json"
end

local function as(credential, method, path, body)
  wrk.headers["Authorization"] = "Bearer " .. credential
  return wrk.format(method, path, nil, body)
end

function request()
  -- wrk makes one request to look at it, and does not send it.
  if is_asked and calling and sent < quota then
    begun = begun or now()
    sent = sent + 1
    return as(credentials[sent % #credentials + 1], "POST", nil, '{"name":"Bench"}')
  end
  if not calling and #open > 0 then
    return as(credentials[1], "POST", "/v1/calls/" .. table.remove(open) .. "/revoke", "")
  end
  is_asked = true
  -- Nothing is left to send until the last responses of this phase are here.
  return as(credentials[1], "GET", "/healthz", nil)
end

function response(status, headers, body)
  local id = body:match('"call_id":"([^"]+)"')
  if calling and status == 202 then
    table.insert(open, id)
  elseif status >= 400 then
    refused = refused + 1
  elseif calling or not id then
    return
  end
  ended = ended + 1
  if calling and ended == quota then
    calls, seconds = calls + #open, seconds + now() - begun
    calling, begun, sent, ended, quota = false, nil, 0, 0, #open
  elseif not calling and ended == quota then
    calling, ended, quota = true, 0, #credentials * PER_CALLER
  end
end

function done()
  for _, thread in ipairs(threads) do
    print(string.format("Calls alone: %.2f a second, %d refused", thread:get("calls") / thread:get("seconds"), thread:get("refused")))
  end
end

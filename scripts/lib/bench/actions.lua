-- POST the calls of a file, in turn. Arguments: the file, whose lines have a path, a workspace and a body between tabs; `read`,
-- `again` (the file is repeated until the time is over) or `once` (until its end); the number before the first `{n}`.
-- wrk counts reads. Of writes `done` prints how many a second were answered while there was something to send, how many were no
-- success or changed nothing, and one of these.
local ffi = require("ffi")
ffi.cdef([[typedef struct { long s; long ns; } moment; int clock_gettime(int, moment *);
int getpid(void); int kill(int, int);]])
local MONOTONIC, INTERRUPT = 1, 2
-- As long as the number, so that the length of the body is known.
local MARK, NUMBER = "{nnnnnnn}", "%09d"
local IDLE = '{"status":"ok"}'
local moment = ffi.new("moment")
local calls, threads = {}, {}
local mode, number, idle, begun
local sent, ended, is_asked = 0, 0, false
answered, seconds, refused, problem = 0, 0, 0, ""

local function now()
  ffi.C.clock_gettime(MONOTONIC, moment)
  return tonumber(moment.s) + tonumber(moment.ns) / 1e9
end

local function count(status, _, body)
  if body == IDLE then
    return
  end
  ended = ended + 1
  if status >= 300 or not body:find('"status":"completed"', 1, true) or body:find('"changed":false', 1, true) then
    refused, problem = refused + 1, body:sub(1, 300)
  end
  if mode == "again" or sent < #calls then
    answered, seconds = ended, now() - begun
  elseif ended == #calls then
    -- wrk would wait until the time is over.
    ffi.C.kill(ffi.C.getpid(), INTERRUPT)
  end
end

function setup(thread)
  table.insert(threads, thread)
end

function init(arguments)
  mode, number = arguments[2], tonumber(arguments[3])
  idle = wrk.format("GET", "/healthz")
  wrk.headers["Content-Type"] = "application/json"
  for line in io.lines(arguments[1]) do
    local path, workspace, body = line:match("^(.-)\t(.-)\t(.*)$")
    wrk.headers["X-Workspace-Id"] = workspace
    local text, parts = wrk.format("POST", path, nil, (body:gsub("{n}", MARK))), {}
    for part in (text .. MARK):gmatch("(.-)" .. MARK) do
      table.insert(parts, part)
    end
    table.insert(calls, parts)
  end
  if mode ~= "read" then
    response = count
  end
end

function request()
  -- wrk makes one request to look at it, and does not send it. And nothing may be left to send before the last answers are here.
  if not is_asked or mode == "once" and sent == #calls then
    is_asked = true
    return idle
  end
  begun = begun or now()
  sent = sent + 1
  return table.concat(calls[(sent - 1) % #calls + 1], NUMBER:format(number + sent))
end

function done()
  for _, thread in ipairs(threads) do
    if thread:get("seconds") > 0 then
      local rate = thread:get("answered") / thread:get("seconds")
      print(string.format("Calls alone: %.2f a second, %d refused", rate, thread:get("refused")))
      print("Refused: " .. thread:get("problem"))
    end
  end
end

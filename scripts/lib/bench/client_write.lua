-- POST a call that the caller runs, and revoke it: a caller may have 50 open calls. Arguments: the credentials of the callers,
-- of which the first one is an admin's and revokes.
local credentials
local turn = 1
local open = {}
function init(arguments)
  credentials = arguments
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
end
function request()
  if #open > 0 then
    wrk.headers["Authorization"] = "Bearer " .. credentials[1]
    return wrk.format(nil, "/v1/calls/" .. table.remove(open) .. "/revoke", nil, "")
  end
  turn = turn % #credentials + 1
  wrk.headers["Authorization"] = "Bearer " .. credentials[turn]
  return wrk.format(nil, nil, nil, '{"name":"Bench"}')
end
function response(status, headers, body)
  if status == 202 then
    table.insert(open, body:match('"call_id":"([^"]+)"'))
  end
end

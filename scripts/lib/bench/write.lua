-- POST a write action; every request makes a thing of its own. An argument tells apart runs that begin in the same second.
local thread_number = 0
function setup(thread)
  thread:set("number", thread_number)
  thread_number = thread_number + 1
end
function init(arguments)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  counter = 0
  stamp = os.time() .. "-" .. number .. (arguments[1] or "")
end
function request()
  counter = counter + 1
  return wrk.format(nil, nil, nil, '{"name":"Bench ' .. stamp .. "-" .. counter .. '"}')
end

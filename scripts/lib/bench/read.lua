-- POST a read action with a fixed body.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"limit":5}'

// Loaded with `node --import`: prints the port of each server that starts to listen, so that a server can be
// started on port 0.
import { subscribe } from "node:diagnostics_channel";

subscribe("tracing:net.server.listen:asyncEnd", ({ server }) => {
  console.log(`listening on ${server.address().port}`);
});

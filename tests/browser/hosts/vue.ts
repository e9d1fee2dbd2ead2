import { createApp } from "vue";
// Before the app is mounted: what the element does not have yet would become an attribute.
import "toolcrib-elements/vue";
import Chat from "./Chat.vue";

const app = document.getElementById("app")!;
const { base = "", workspace = "" } = app.dataset;
createApp(Chat, { base, workspace }).mount(app);

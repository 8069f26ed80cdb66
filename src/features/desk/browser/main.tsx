import { hydratePage } from "../../../pages/browser/start.ts";
import { LiveDesk } from "./live-desk.tsx";

hydratePage(LiveDesk);

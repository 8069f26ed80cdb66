/** @jsxImportSource preact */
import { renderPage } from "../../../pages/browser/start.ts";
import { PartnerPage } from "./partner-page.tsx";

renderPage(PartnerPage);

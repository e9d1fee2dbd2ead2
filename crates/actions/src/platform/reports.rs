//! Actions on the reports that agents submit.

mod get_latest_report;
mod submit_report;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![Action::write(submit_report::SubmitReport), Action::read(get_latest_report::GetLatestReport)]
}

toolcrib_model::closed_set! {
    "a report kind",
    /// Kind of a report.
    ReportKind {
        /// Finished and planned work.
        Standup = "standup",
        /// Findings.
        Research = "research",
        /// A failure and its effects.
        Incident = "incident",
        /// Summary of a longer text.
        Summary = "summary",
        /// Delivered work.
        Delivery = "delivery",
        /// Results of a check.
        Audit = "audit",
    }
}

toolcrib_model::closed_set! {
    "a report status",
    /// Urgency of a report.
    ReportStatus {
        /// No problem.
        Ok = "ok",
        /// Needs attention.
        Warning = "warning",
        /// Needs immediate attention; the admins are notified.
        Critical = "critical",
        /// For information.
        Info = "info",
    }
}

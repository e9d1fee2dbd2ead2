//! Actions on the documents of a workspace.

mod add_document;
mod delete_document;
mod list_documents;
mod passages;
mod reprocess_document;
mod search_documents;
mod view;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![
        Action::paged(list_documents::ListDocuments),
        Action::write(add_document::AddDocument),
        Action::read(search_documents::SearchDocuments),
        Action::write(reprocess_document::ReprocessDocument),
        Action::write(delete_document::DeleteDocument),
    ]
}

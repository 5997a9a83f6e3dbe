//! What the similarity of sentences adds to words.

use super::*;

/// Ranks a bank whose lessons all have these similarities.
fn near(bank: &[Lesson], similarities: &[f32], prompt: &str) -> Ranking {
    let query = QueryTerms::from_prompt(prompt);
    let mut found = found(bank, &query);
    for (lesson, similarity) in bank.iter().zip(similarities) {
        let known = found.hits.iter_mut().find(|hit| hit.lesson.id == lesson.id);
        match known {
            Some(hit) => hit.similarity = Some(*similarity),
            None => found.hits.push(SearchHit {
                lesson: lesson.clone(),
                terms: DocTerms::from_content(&lesson.content, lesson.task.as_ref()),
                score: 0.0,
                similarity: Some(*similarity),
            }),
        }
    }
    rank_candidates(
        &query,
        found,
        &Requester::default(),
        RankPolicy::default(),
        now(),
    )
}

/// Returns a bank of twenty, of which the first two are similar and the others about other things.
fn twenty() -> Vec<Lesson> {
    let mut bank = vec![
        lesson(
            1,
            "clone a repository",
            "Clone the repository with a shallow history over https.",
        ),
        lesson(
            2,
            "fetch a repository",
            "Fetch the repository with a partial clone over https.",
        ),
    ];
    let others = (3..=20).map(|id| lesson(id, &format!("topic{id}"), &format!("unheard{id} of")));
    bank.extend(others);
    bank
}

#[test]
fn nearness_decides_between_lessons_that_fit_alike() {
    let bank = twenty();
    let prompt = "the repository does not come over https";
    let mut similarities = [0.1; 20];
    let first = |similarities: &[f32]| {
        let ranking = near(&bank, similarities, prompt);
        explanations_in_order(&ranking).first().map(|(id, _)| id.0)
    };
    similarities[0] = 0.6;
    assert_eq!(first(&similarities), Some(1));
    similarities[1] = 0.7;
    assert_eq!(first(&similarities), Some(2));
}

#[test]
fn what_is_near_is_shown_without_a_shared_word() {
    let bank = twenty();
    let mut similarities = [0.1; 20];
    similarities[4] = 0.8;
    let ranking = near(&bank, &similarities, "something else entirely");
    assert_eq!(ids(&ranking), [5]);
    assert_eq!(
        format!("{:.2}", explanations_in_order(&ranking)[0].1.relevance),
        "0.00"
    );
}

#[test]
fn what_is_near_by_chance_is_not() {
    let bank = twenty();
    let ranking = near(&bank, &[0.3; 20], "something else entirely");
    assert_eq!(ids(&ranking), [0; 0]);
}

#[test]
fn what_is_near_needs_fewer_words() {
    let bank = twenty();
    let prompt = "the history of this huge monorepo";
    let alone = recall(&bank, prompt, &Requester::default(), RankPolicy::default());
    let relevance = explanations_in_order(&alone)[0].1.relevance;
    assert!((0.5..1.0).contains(&relevance), "{relevance}");
    assert_eq!(ids(&alone), [0; 0]);
    let mut similarities = [0.1; 20];
    similarities[0] = 0.45;
    assert_eq!(ids(&near(&bank, &similarities, prompt)), [1]);
}
